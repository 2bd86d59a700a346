# Completion of privpipe for bash, and for zsh by its bashcompinit. install.sh appends the tables of the stages.
declare -gA privpipe_words privpipe_values

_privpipe() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=privpipe flag='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -*) ;;
      *) [[ -z ${privpipe_words["$command ${COMP_WORDS[i]}"]+there} ]] || command+=" ${COMP_WORDS[i]}" ;;
    esac
  done
  [[ $previous != = ]] || previous=${COMP_WORDS[COMP_CWORD - 2]} # readline cuts --flag=value in three
  if [[ $word == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 1]} word=
  fi
  [[ $previous != -* ]] || flag="$command $previous"
  COMPREPLY=()
  if [[ -n $flag && -n ${privpipe_values["$flag"]+there} ]]; then
    [[ -z ${privpipe_values["$flag"]} ]] || COMPREPLY=($(compgen -W "${privpipe_values["$flag"]}" -- "$word"))
  elif [[ $word == -* || $command == privpipe || -z ${privpipe_words["$command"]##[a-z]*} ]]; then
    COMPREPLY=($(compgen -W "${privpipe_words["$command"]}" -- "$word"))
  fi
}
complete -o default -F _privpipe privpipe
