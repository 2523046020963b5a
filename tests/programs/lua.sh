# packages: lua5.4
# size: small
lua5.4 -e 'local t = {} for i = 1, 3 do t[#t + 1] = string.format("%d", i * i) end print(table.concat(t, ","), os.date("!%Y", 0))'
