# packages: r-base-core
# size: small
# limits: memory_bytes=1073741824
Rscript -e 'x <- c(1, 2, 3); cat(mean(x), coef(lm(x ~ seq_along(x)))[[2]], Sys.timezone() != "", "\n"); pdf("a.pdf"); plot(x); invisible(dev.off()); cat(file.exists("a.pdf"), "\n")'
