import cc.mallet.topics.ParallelTopicModel;
import cc.mallet.types.Alphabet;
import cc.mallet.types.FeatureSequence;
import cc.mallet.types.Instance;
import cc.mallet.types.InstanceList;
import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.logging.Level;

/** Sampling FILE K ALPHA-SUM ETA BURN-IN SWEEPS prints the tokens that MALLET draws in a CPU-second of its one thread, after the burn-in. */
public class Sampling {
  public static void main(String[] args) throws Exception {
    InstanceList documents = read(args[0]);
    long tokens = 0;
    for (Instance document : documents) {
      tokens += ((FeatureSequence) document.getData()).getLength();
    }
    ParallelTopicModel.logger.setLevel(Level.OFF);
    ParallelTopicModel model =
        new ParallelTopicModel(Integer.parseInt(args[1]), Double.parseDouble(args[2]), Double.parseDouble(args[3]));
    model.setRandomSeed(1);
    model.setNumThreads(1);
    model.setOptimizeInterval(0);
    model.setTopicDisplay(0, 0);
    model.printLogLikelihood = false;
    model.addInstances(documents);
    model.setNumIterations(Integer.parseInt(args[4]));
    model.estimate();
    int sweeps = Integer.parseInt(args[5]);
    model.setNumIterations(sweeps);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long began = threads.getCurrentThreadCpuTime();
    model.estimate();
    System.out.println(tokens * sweeps * 1e9 / (threads.getCurrentThreadCpuTime() - began));
  }

  /** Reads a UCI docword file, whose lines are in the order of documents. */
  private static InstanceList read(String file) throws Exception {
    try (BufferedReader in = new BufferedReader(new FileReader(file))) {
      in.readLine();
      int words = Integer.parseInt(in.readLine().trim());
      in.readLine();
      Alphabet alphabet = new Alphabet();
      for (int word = 0; word < words; word++) {
        alphabet.lookupIndex(word);
      }
      InstanceList documents = new InstanceList(alphabet, null);
      int[] tokens = new int[1 << 20];
      int length = 0;
      String document = null;
      while (true) {
        String line = in.readLine();
        String[] fields = line == null ? new String[] {""} : line.split(" ");
        if (document != null && !fields[0].equals(document)) {
          FeatureSequence sequence = new FeatureSequence(alphabet, Arrays.copyOf(tokens, length));
          documents.add(new Instance(sequence, null, document, null));
          length = 0;
        }
        if (line == null) {
          return documents;
        }
        document = fields[0];
        for (int count = Integer.parseInt(fields[2]); count > 0; count--) {
          if (length == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * length);
          }
          tokens[length++] = Integer.parseInt(fields[1]) - 1;
        }
      }
    }
  }
}
