# packages: ruby
# size: small
ruby -rjson -rsocket -ropenssl -e 'puts JSON.generate({a: [1, 2.5]}), OpenSSL::Digest::SHA256.hexdigest("a")[0, 8], Socket.getservbyname("http"), Thread.new { 42 }.value'
