# packages: python3-lxml
# size: large
/usr/bin/python3 -c 'from lxml import etree; print(etree.fromstring("<a><b c=\"1\"/></a>").xpath("//b/@c"))'
