<?php
echo implode("", ["O", "K"]), "\n";
