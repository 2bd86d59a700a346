# The Homebrew formula of this checkout: brew install --HEAD pipelines/install/privpipe.rb
class Privpipe < Formula
  desc "Train topic models on sensitive text, releasing only differentially private numbers"
  homepage "https://privpipe.invalid"
  license "MIT"
  head "file://#{File.realpath("#{__dir__}/../..")}", using: :git

  depends_on "coreutils" => :build # install -D, sort, date
  depends_on "go" => :build
  depends_on "bash" # recipes want 5.1
  depends_on "gawk"
  depends_on "gnu-sed"

  def install
    ENV.prepend_path "PATH", Formula["coreutils"].opt_libexec/"gnubin"
    ENV.prepend_path "PATH", Formula["gnu-sed"].opt_libexec/"gnubin"
    system "pipelines/install/install.sh", prefix
  end

  test do
    (testpath/"text.jsonl").write "{\"id\":\"1\",\"text\":\"a text of words\"}\n"
    system bin/"privpipe", "tokenize", "text", "-o", "documents.pp", "text.jsonl"
    assert_path_exists testpath/"documents.pp"
  end
end
