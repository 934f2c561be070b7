package ginrummy;

import java.io.FileWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;

/** Plays as Legal and writes every call to a file in the working directory, one for each instance. */
public class Recorder extends Legal {
    private static int instances = 0;
    private final FileWriter file;

    public Recorder() throws IOException {
        file = new FileWriter("calls-" + Recorder.class.getClassLoader().hashCode() + "-" + instances++ + ".txt");
    }

    private void note(String line) {
        try {
            file.write(line + "\n");
            file.flush();
        } catch (IOException error) {
            throw new RuntimeException(error);
        }
    }

    private static Card own(Card card) {
        if (card != null && card != Card.allCards[card.getId()]) throw new IllegalStateException("not the same object");
        return card;
    }

    public void startGame(int playerNum, int startingPlayerNum, Card[] cards) {
        for (Card card : cards) own(card);
        note("startGame " + playerNum + " " + startingPlayerNum + " " + Arrays.toString(cards));
        super.startGame(playerNum, startingPlayerNum, cards);
    }

    public boolean willDrawFaceUpCard(Card card) {
        boolean take = super.willDrawFaceUpCard(own(card));
        note("willDrawFaceUpCard " + card + " -> " + take);
        return take;
    }

    public void reportDraw(int playerNum, Card drawnCard) {
        note("reportDraw " + playerNum + " " + own(drawnCard));
        super.reportDraw(playerNum, drawnCard);
    }

    public Card getDiscard() {
        Card card = super.getDiscard();
        note("getDiscard -> " + card);
        return card;
    }

    public void reportDiscard(int playerNum, Card discardedCard) {
        note("reportDiscard " + playerNum + " " + own(discardedCard));
        super.reportDiscard(playerNum, discardedCard);
    }

    public ArrayList<ArrayList<Card>> getFinalMelds() {
        ArrayList<ArrayList<Card>> melds = super.getFinalMelds();
        note("getFinalMelds -> " + melds);
        return melds;
    }

    public void reportFinalMelds(int playerNum, ArrayList<ArrayList<Card>> melds) {
        note("reportFinalMelds " + playerNum + " " + melds);
        super.reportFinalMelds(playerNum, melds);
        melds.clear(); // must not change what the game or the other player knows
    }

    public void reportScores(int[] scores) {
        note("reportScores " + Arrays.toString(scores));
    }

    public void reportLayoff(int playerNum, Card layoffCard, ArrayList<Card> opponentMeld) {
        note("reportLayoff " + playerNum + " " + own(layoffCard) + " " + opponentMeld);
    }

    public void reportFinalHand(int playerNum, ArrayList<Card> hand) {
        note("reportFinalHand " + playerNum + " " + hand);
        super.reportFinalHand(playerNum, hand);
    }
}
