package ginrummy;

import java.util.ArrayList;
import java.util.Arrays;

/** Players that break the rules, fail or do not end; each but for one call plays as Legal. */
class DiscardsAnother extends Legal {
    public Card getDiscard() {
        for (Card card : Card.allCards) if ((hand & bit(card)) == 0) return card;
        return null;
    }
}

class DiscardsNull extends Legal {
    public Card getDiscard() {
        return null;
    }
}

class DiscardsCopy extends Legal {
    public Card getDiscard() {
        Card card = super.getDiscard();
        return new Card(card.rank, card.suit);
    }
}

class ThrowsBack extends Legal {
    public boolean willDrawFaceUpCard(Card card) {
        super.willDrawFaceUpCard(card);
        return true;
    }

    public Card getDiscard() {
        return upcard;
    }
}

class MeldsBadly extends Legal {
    public ArrayList<ArrayList<Card>> getFinalMelds() {
        ArrayList<ArrayList<Card>> melds = super.getFinalMelds();
        if (melds != null) melds.add(new ArrayList<>(Arrays.asList(Card.getCard(0), Card.getCard(20))));
        return melds;
    }
}

class MeldsNull extends Legal {
    public ArrayList<ArrayList<Card>> getFinalMelds() {
        return null;
    }
}

class KnocksHigh extends Legal {
    protected int limit() {
        return 30;
    }
}

/** Knocks without its melds whenever all ten cards count no more than ten together. */
class MeldsNothing extends Legal {
    public ArrayList<ArrayList<Card>> getFinalMelds() {
        return defends || points(hand) <= 10 ? new ArrayList<ArrayList<Card>>() : null;
    }
}

class Throws extends Legal {
    private int rounds = 0;

    public void startGame(int playerNum, int startingPlayerNum, Card[] cards) {
        super.startGame(playerNum, startingPlayerNum, cards);
        rounds++;
    }

    public Card getDiscard() {
        if (rounds == 2) throw new IllegalStateException("I cannot decide");
        return super.getDiscard();
    }
}

class ThrowsAtScores extends Legal {
    public void reportScores(int[] scores) {
        if (Math.max(scores[0], scores[1]) >= 100) throw new IllegalStateException("no more");
    }
}

class ThrowsAtStart extends Legal {
    public void startGame(int playerNum, int startingPlayerNum, Card[] cards) {
        throw new IllegalStateException("not today");
    }
}

/** Takes every upcard and never knocks: two of them never end a round. */
class Swaps extends Legal {
    public boolean willDrawFaceUpCard(Card card) {
        super.willDrawFaceUpCard(card);
        return true;
    }

    public ArrayList<ArrayList<Card>> getFinalMelds() {
        return defends ? super.getFinalMelds() : null;
    }
}

class NeverReturns extends Legal {
    private long count = 0;

    public Card getDiscard() {
        while (count >= 0) count = count + 1 & Long.MAX_VALUE;
        return null;
    }
}

class Sleeps extends Legal {
    public boolean willDrawFaceUpCard(Card card) {
        try {
            Thread.sleep(60_000);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        return super.willDrawFaceUpCard(card);
    }
}

class NeedsNumber extends Legal {
    NeedsNumber(int number) {}
}

class FailsToBegin extends Legal {
    FailsToBegin() {
        throw new IllegalStateException("no data file");
    }
}

class Stranger {}

class Talks extends Legal {
    Talks() {
        System.out.println("hello from Java");
    }
}
