# Completions for shells, in the folders where these look by themselves.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_bashcompletion_DATA = %D%/bash/clpac
dist_zshcompletion_DATA = %D%/zsh/_clpac
dist_fishcompletion_DATA = %D%/fish/clpac.fish
