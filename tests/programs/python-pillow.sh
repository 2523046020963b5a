# packages: python3-pil
# size: large
/usr/bin/python3 -c 'from PIL import Image, ImageDraw; i = Image.new("RGB", (8, 8), "red"); ImageDraw.Draw(i).text((0, 0), "a"); i.save("a.png"); print(Image.open("a.png").size)'
