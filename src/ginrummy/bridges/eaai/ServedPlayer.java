import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Asks a player of ginrummy that runs as a server: "ginrummy serve-bot champion". Compile it with the classes of the
 * challenge's framework. System properties ginrummy.host and ginrummy.port say where the server is.
 */
public class ServedPlayer implements GinRummyPlayer {
    private static final String HOST = System.getProperty("ginrummy.host", "@HOST@");
    private static final int PORT = Integer.getInteger("ginrummy.port", @PORT@);

    private final Map<String, Card> cards = new HashMap<>();
    private BufferedReader in;
    private PrintWriter out;

    public ServedPlayer() {
        for (Card card : Card.allCards) cards.put(card.toString(), card);
        try {
            @SuppressWarnings("resource") // it stays open as long as this player lives
            Socket socket = new Socket(HOST, PORT);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            out = new PrintWriter(socket.getOutputStream(), false);
        } catch (IOException error) {
            throw new IllegalStateException(
                    "no player at " + HOST + ":" + PORT + "; start one with: ginrummy serve-bot PLAYER --port " + PORT,
                    error);
        }
        ask("ginrummy @VERSION@");
    }

    public void startGame(int playerNum, int startingPlayerNum, Card[] hand) {
        tell("deal " + playerNum + " " + startingPlayerNum + text(java.util.Arrays.asList(hand)));
    }

    public boolean willDrawFaceUpCard(Card card) {
        return ask("wants " + card).equals("yes");
    }

    public void reportDraw(int playerNum, Card drawnCard) {
        tell("drew " + playerNum + " " + (drawnCard == null ? "-" : drawnCard.toString()));
    }

    public Card getDiscard() {
        return cards.get(ask("discard"));
    }

    public void reportDiscard(int playerNum, Card discardedCard) {
        tell("discarded " + playerNum + " " + discardedCard);
    }

    public ArrayList<ArrayList<Card>> getFinalMelds() {
        String answer = ask("melds");
        if (answer.equals("none")) return null;
        ArrayList<ArrayList<Card>> melds = new ArrayList<>();
        for (String meld : answer.substring("melds".length()).split("\\|")) {
            ArrayList<Card> found = new ArrayList<>();
            for (String word : meld.trim().split(" ")) if (!word.isEmpty()) found.add(cards.get(word));
            if (!found.isEmpty()) melds.add(found);
        }
        return melds;
    }

    public void reportFinalMelds(int playerNum, ArrayList<ArrayList<Card>> melds) {
        StringBuilder line = new StringBuilder("melded " + playerNum);
        for (ArrayList<Card> meld : melds) line.append(" |").append(text(meld));
        tell(line.toString());
    }

    public void reportScores(int[] scores) {
        tell("scored " + scores[0] + " " + scores[1]);
    }

    public void reportLayoff(int playerNum, Card layoffCard, ArrayList<Card> opponentMeld) {
        tell("laid_off " + playerNum + " " + layoffCard + text(opponentMeld));
    }

    public void reportFinalHand(int playerNum, ArrayList<Card> hand) {
        tell("shown " + playerNum + text(hand));
    }

    private static String text(Collection<Card> some) {
        StringBuilder words = new StringBuilder();
        for (Card card : some) words.append(' ').append(card);
        return words.toString();
    }

    private void tell(String line) {
        out.print(line + "\n");
    }

    private String ask(String line) {
        tell(line);
        out.flush();
        String answer;
        try {
            answer = in.readLine();
        } catch (IOException error) {
            throw new IllegalStateException("the server of ginrummy does not answer", error);
        }
        if (answer == null || answer.startsWith("error "))
            throw new IllegalStateException("the server of ginrummy " + (answer == null ? "has ended" : "says: " + answer));
        return answer;
    }
}
