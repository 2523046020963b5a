program ok
    implicit none
    print '(A)', 'O' // 'K'
end program ok
