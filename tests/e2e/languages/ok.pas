program Ok;
begin
  writeln('O' + 'K');
end.
