package ginrummy;

/** A playing card. Written for these tests from the facts of the interface; cards are compared by identity. */
public class Card {
    public static final Card[] allCards = new Card[52];

    static {
        for (int id = 0; id < 52; id++) allCards[id] = new Card(id % 13, id / 13);
    }

    public final int rank, suit;

    public Card(int rank, int suit) {
        this.rank = rank;
        this.suit = suit;
    }

    public static Card getCard(int id) {
        return allCards[id];
    }

    public int getId() {
        return 13 * suit + rank;
    }

    public String toString() {
        return "" + "A23456789TJQK".charAt(rank) + "CHSD".charAt(suit);
    }
}
