package ginrummy;

import java.util.ArrayList;

/** Plays legally and by rule alone: a twin in Python makes the same choices. */
public class Legal implements GinRummyPlayer {
    protected int seat;
    protected long hand;
    protected boolean defends;
    protected Card upcard, barred;

    /** Greatest deadwood to knock with. */
    protected int limit() {
        return 10;
    }

    public void startGame(int playerNum, int startingPlayerNum, Card[] cards) {
        seat = playerNum;
        defends = false;
        upcard = null;
        hand = 0;
        for (Card card : cards) hand |= bit(card);
    }

    public boolean willDrawFaceUpCard(Card card) {
        upcard = card;
        long eleven = hand | bit(card);
        int least = Integer.MAX_VALUE;
        for (int id = 0; id < 52; id++)
            if ((eleven >> id & 1) == 1) least = Math.min(least, deadwood(eleven & ~(1L << id)));
        return least < deadwood(hand);
    }

    public void reportDraw(int playerNum, Card drawnCard) {
        if (playerNum != seat) return;
        hand |= bit(drawnCard);
        barred = drawnCard == upcard ? drawnCard : null;
    }

    public Card getDiscard() {
        int best = -1, least = Integer.MAX_VALUE;
        for (int id = 51; id >= 0; id--) {
            if ((hand >> id & 1) == 0 || Card.allCards[id] == barred) continue;
            int left = deadwood(hand & ~(1L << id));
            if (left < least) {
                least = left;
                best = id;
            }
        }
        return Card.allCards[best];
    }

    public void reportDiscard(int playerNum, Card discardedCard) {
        if (playerNum == seat) hand &= ~bit(discardedCard);
    }

    public ArrayList<ArrayList<Card>> getFinalMelds() {
        long[] best = bestMelds(hand);
        if (!defends && points(left(hand, best)) > limit()) return null;
        ArrayList<ArrayList<Card>> melds = new ArrayList<>();
        for (long meld : best) if (meld != 0) melds.add(cards(meld));
        return melds;
    }

    public void reportFinalMelds(int playerNum, ArrayList<ArrayList<Card>> melds) {
        if (playerNum != seat) defends = true;
    }

    public void reportScores(int[] scores) {}

    public void reportLayoff(int playerNum, Card layoffCard, ArrayList<Card> opponentMeld) {}

    public void reportFinalHand(int playerNum, ArrayList<Card> cards) {
        long shown = 0;
        for (Card card : cards) shown |= bit(card);
        if (playerNum == seat && shown != hand) throw new IllegalStateException("this is not my hand: " + cards);
    }

    static long bit(Card card) {
        return 1L << card.getId();
    }

    static ArrayList<Card> cards(long mask) {
        ArrayList<Card> found = new ArrayList<>();
        for (int id = 0; id < 52; id++) if ((mask >> id & 1) == 1) found.add(Card.getCard(id));
        return found;
    }

    static int points(long mask) {
        int sum = 0;
        for (int id = 0; id < 52; id++) if ((mask >> id & 1) == 1) sum += Math.min(id % 13 + 1, 10);
        return sum;
    }

    static int deadwood(long hand) {
        return points(left(hand, bestMelds(hand)));
    }

    static long left(long hand, long[] melds) {
        for (long meld : melds) hand &= ~meld;
        return hand;
    }

    /** The first of the least meld sets, in the order in which {@link #melds} are chosen. */
    static long[] bestMelds(long hand) {
        long[] best = new long[3];
        int[] least = {points(hand)};
        search(melds(hand), 0, hand, new long[3], 0, best, least);
        return best;
    }

    private static void search(
            ArrayList<Long> melds, int from, long rest, long[] chosen, int count, long[] best, int[] least) {
        if (points(rest) < least[0]) {
            least[0] = points(rest);
            for (int k = 0; k < 3; k++) best[k] = k < count ? chosen[k] : 0;
        }
        for (int k = from; k < melds.size() && count < 3; k++) {
            long meld = melds.get(k);
            if ((meld & rest) != meld) continue;
            chosen[count] = meld;
            search(melds, k + 1, rest & ~meld, chosen, count + 1, best, least);
        }
    }

    /** Runs by suit, first card and length, then sets by rank: without C, H, S, D, then all four. */
    static ArrayList<Long> melds(long hand) {
        ArrayList<Long> found = new ArrayList<>();
        for (int suit = 0; suit < 4; suit++)
            for (int rank = 0; rank < 11; rank++)
                for (int size = 3; rank + size <= 13; size++) {
                    long run = (1L << size) - 1 << 13 * suit + rank;
                    if ((hand & run) == run) found.add(run);
                }
        for (int rank = 0; rank < 13; rank++) {
            long four = 0x8004002001L << rank;
            for (int suit = 0; suit < 4; suit++) {
                long three = four & ~(1L << 13 * suit + rank);
                if ((hand & three) == three) found.add(three);
            }
            if ((hand & four) == four) found.add(four);
        }
        return found;
    }
}
