# Shorthand; the scripts are what counts.
.PHONY: setup test lint demo wheel
setup test lint demo wheel:
	scripts/$@
