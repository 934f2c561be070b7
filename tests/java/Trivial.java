package ginrummy;

import java.util.ArrayList;

/** Draws from the stock, throws the card away and never knocks: what it costs is the cost of the calls. */
public class Trivial implements GinRummyPlayer {
    private int seat;
    private Card drawn;
    private boolean defends;

    public void startGame(int playerNum, int startingPlayerNum, Card[] cards) {
        seat = playerNum;
        defends = false;
    }

    public boolean willDrawFaceUpCard(Card card) {
        return false;
    }

    public void reportDraw(int playerNum, Card drawnCard) {
        if (playerNum == seat) drawn = drawnCard;
    }

    public Card getDiscard() {
        return drawn;
    }

    public void reportDiscard(int playerNum, Card discardedCard) {}

    public ArrayList<ArrayList<Card>> getFinalMelds() {
        return defends ? new ArrayList<ArrayList<Card>>() : null;
    }

    public void reportFinalMelds(int playerNum, ArrayList<ArrayList<Card>> melds) {
        defends = true;
    }

    public void reportScores(int[] scores) {}

    public void reportLayoff(int playerNum, Card layoffCard, ArrayList<Card> opponentMeld) {}

    public void reportFinalHand(int playerNum, ArrayList<Card> hand) {}
}
