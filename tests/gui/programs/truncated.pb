
@
	truncated 
main