# packages: perl
# size: small
perl -MList::Util=sum -MPOSIX -MTime::HiRes -MSocket -e 'print sum(1..10), " ", strftime("%Y", gmtime(0)), " ", (getservbyname("http", "tcp"))[2], " ", scalar(getprotobyname("tcp")), "\n"'
