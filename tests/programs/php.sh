# packages: php-cli
# size: small
cat > a.php <<'PHP'
<?php var_dump(ctype_digit('1'), iconv('UTF-8', 'ISO-8859-1', 'a'), json_encode(['a' => 1.5]), hash('crc32b', 'a'), date('Y', 0), extension_loaded('pdo'));
PHP
php a.php
