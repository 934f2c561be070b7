package ginrummy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Random;

/**
 * Plays games of two classes in the order of calls of the challenge, written for these tests: names of both classes,
 * number of games, seed. It prints who won each game and the score, or who broke which rule.
 */
public class Tournament {
    public static void main(String[] words) throws Exception {
        GinRummyPlayer[] players = new GinRummyPlayer[2];
        for (int i = 0; i < 2; i++)
            players[i] = (GinRummyPlayer) Class.forName(words[i]).getDeclaredConstructor().newInstance();
        Random random = new Random(Long.parseLong(words[3]));
        for (int game = 0; game < Integer.parseInt(words[2]); game++) System.out.println(play(players, random));
        System.exit(0);
    }

    static String play(GinRummyPlayer[] players, Random random) {
        int[] scores = new int[2];
        int starter = random.nextInt(2);
        while (Math.max(scores[0], scores[1]) < 100) {
            ArrayList<Card> deck = new ArrayList<>(java.util.Arrays.asList(Card.allCards));
            Collections.shuffle(deck, random);
            ArrayList<ArrayList<Card>> hands = new ArrayList<>();
            for (int i = 0; i < 2; i++) hands.add(new ArrayList<>(deck.subList(10 * i, 10 * i + 10)));
            for (int i = 0; i < 2; i++) players[i].startGame(i, starter, hands.get(i).toArray(new Card[0]));
            ArrayList<Card> stock = new ArrayList<>(deck.subList(21, 52));
            Card top = deck.get(20);
            int mover = starter, passes = 0;
            boolean begun = false;
            ArrayList<ArrayList<Card>> knock = null;
            while (stock.size() > 2) {
                boolean take = passes < 2 || begun ? players[mover].willDrawFaceUpCard(top) : false;
                if (!begun && !take && passes < 2) {
                    passes++;
                    mover = 1 - mover;
                    continue;
                }
                begun = true;
                Card drawn = take ? top : stock.remove(0);
                for (int i = 0; i < 2; i++) players[i].reportDraw(mover, take || i == mover ? drawn : null);
                hands.get(mover).add(drawn);
                Card discard = players[mover].getDiscard();
                if (!hands.get(mover).contains(discard) || take && discard == drawn) return mover + " discards badly";
                hands.get(mover).remove(discard);
                for (int i = 0; i < 2; i++) players[i].reportDiscard(mover, discard);
                top = discard;
                knock = players[mover].getFinalMelds();
                if (knock != null) break;
                mover = 1 - mover;
            }
            if (knock != null) {
                int other = 1 - mover;
                long rest = left(hands.get(mover), knock);
                if (rest < 0 || Legal.points(rest) > 10) return mover + " knocks badly";
                for (int i = 0; i < 2; i++) players[i].reportFinalMelds(mover, copy(knock));
                ArrayList<ArrayList<Card>> defence = players[other].getFinalMelds();
                for (int i = 0; i < 2; i++) players[i].reportFinalMelds(other, copy(defence));
                long loose = left(hands.get(other), defence);
                if (loose < 0) return other + " melds badly";
                for (boolean more = rest != 0; more; ) {
                    more = false;
                    search:
                    for (Card card : Legal.cards(loose))
                        for (ArrayList<Card> meld : knock)
                            if (fits(meld, card)) {
                                for (int i = 0; i < 2; i++) players[i].reportLayoff(other, card, new ArrayList<>(meld));
                                meld.add(card);
                                loose &= ~Legal.bit(card);
                                more = true;
                                break search;
                            }
                }
                int mine = Legal.points(rest), theirs = Legal.points(loose);
                if (mine == 0) scores[mover] += 25 + theirs;
                else if (mine < theirs) scores[mover] += theirs - mine;
                else scores[other] += 25 + mine - theirs;
                starter = 1 - starter;
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) players[i].reportFinalHand(j, new ArrayList<>(hands.get(j)));
            for (int i = 0; i < 2; i++) players[i].reportScores(scores.clone());
        }
        return (scores[0] >= 100 ? 0 : 1) + " wins " + scores[0] + "-" + scores[1];
    }

    static boolean fits(ArrayList<Card> meld, Card card) {
        long grown = Legal.bit(card);
        for (Card one : meld) grown |= Legal.bit(one);
        return Legal.melds(grown).contains(grown);
    }

    /** The cards outside melds, or -1 if those are no melds of the hand. */
    static long left(ArrayList<Card> hand, ArrayList<ArrayList<Card>> melds) {
        long rest = 0;
        for (Card card : hand) rest |= Legal.bit(card);
        for (ArrayList<Card> meld : melds) {
            long mask = 0;
            for (Card card : meld) mask |= Legal.bit(card);
            if ((mask & rest) != mask || !Legal.melds(mask).contains(mask)) return -1;
            rest &= ~mask;
        }
        return rest;
    }

    static ArrayList<ArrayList<Card>> copy(ArrayList<ArrayList<Card>> melds) {
        ArrayList<ArrayList<Card>> found = new ArrayList<>();
        for (ArrayList<Card> meld : melds) found.add(new ArrayList<>(meld));
        return found;
    }
}
