# SPDX-License-Identifier: Apache-2.0
# complete.zsh FOLDER LINE: an interactive zsh with the completions of FOLDER gets LINE and a tab; prints what the line is then.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT= ; stty -echo; unsetopt zle_bracketed_paste 2>/dev/null; fpath=($1 \$fpath); autoload -Uz compinit
compinit -u -D; show() { print -r -- \"LINE<\$BUFFER>\"; BUFFER=; zle accept-line }; zle -N show; bindkey '^X' show; print REA\"\"DY"
# Until the shell has read all that, a tab would be a character like others.
zpty -r -m shell seen '*READY*'
zpty -w -n shell "$2"$'\t\x18'
zpty -r -m shell seen '*LINE<*>*'
seen=${seen##*LINE<}
seen=${seen%%>*}
print -r -- ${seen% }
zpty -d shell
