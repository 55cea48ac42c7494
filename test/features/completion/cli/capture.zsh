# zsh -f capture.zsh FOLDER LINE…: prints what zsh completes for each command line, with the function _mgr of the folder.
# Completion needs the line editor, and so a terminal of its own.
zmodload zsh/zpty
zpty inner "zsh -f -i"
zpty -w inner "source ${(q)0:h}/capture-inner.zsh ${(q)1}"
zpty -r inner output '*READY*' || exit 1
for line in "${@[2,-1]}"; do
  zpty -w -n inner "$line"$'\t'
  zpty -r inner output '*FINISHED*' || exit 1
  print -r -- "LINE $line"
  print -r -- "$output"
  # Clears the line.
  zpty -w -n inner $'\x15'
done
zpty -d inner
