# packages: ffmpeg
# size: large
# limits: memory_bytes=1073741824
ffmpeg -v error -f lavfi -i testsrc=duration=1:size=64x64:rate=5 -c:v libx264 a.mp4 && ffprobe -v error -show_entries stream=width,nb_frames -of csv=p=0 a.mp4
