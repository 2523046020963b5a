# packages: tcl
# size: small
echo 'puts [expr {6 * 7}]; puts [clock format 0 -format %Y -gmt 1]; puts [clock format 1700000000 -format %H -timezone :Europe/Berlin]' > a.tcl; tclsh a.tcl
