# The Nix expression of this checkout: nix-build pipelines/install/privpipe.nix
{ pkgs ? import <nixpkgs> { } }:
pkgs.buildGoModule {
  pname = "privpipe";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../..;
  vendorHash = "sha256-2nMsio1RQ+sjMZchpm1S0ntMDolQ1CZAoIm5h4mPnoU="; # of go mod vendor; TestPackagingFiles works it out
  subPackages = [
    "tokenize"
    "sample"
    "estep"
    "privatize"
    "mstep"
    "account"
    "evaluate"
    "pipelines/show"
    "pipelines/recipes/kafka/topics"
  ];
  env.CGO_ENABLED = 0;
  ldflags = [
    "-s"
    "-w"
    "-X privpipe/pipelines/filter.release=0.1.0-nix"
  ];
  doCheck = false; # the tests want Kafka and corpora
  nativeBuildInputs = [ pkgs.makeWrapper ];
  # As install.sh has it: the stages in libexec, recipes in share, and one name on PATH.
  postInstall = ''
    mkdir -p $out/libexec $out/share/privpipe
    mv $out/bin $out/libexec/privpipe
    cp -r --parents pipelines/recipes pipelines/python LICENSE $(find . -name '*.md' -not -path './vendor/*') $out/share/privpipe
    find $out/share/privpipe -name '*.go' -delete
    install -Dm755 pipelines/install/privpipe $out/bin/privpipe
    patchShebangs $out/bin $out/share/privpipe
    wrapProgram $out/bin/privpipe --prefix PATH : ${
      pkgs.lib.makeBinPath [
        pkgs.bash
        pkgs.coreutils
        pkgs.gawk
        pkgs.gnused
      ]
    }
  '';
  meta = {
    description = "Train topic models on sensitive text, releasing only differentially private numbers";
    license = pkgs.lib.licenses.mit;
    mainProgram = "privpipe";
  };
}
