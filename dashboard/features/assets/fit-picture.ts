/** What an image of a mail may have: the server's own limit. */
export const PICTURE_BYTES_MAX = 2 * 1024 * 1024
/** That of a mail on a screen that is twice as fine. */
const WIDTH_MAX = 1_600
const HEIGHT_MAX = 6_400
const QUALITY = 0.85

/**
 * A picture as a mail can have it: one that is small enough as it is, to the byte, and a photo as it comes of a camera made
 * smaller. Undefined for one that cannot be, such as a film.
 */
export async function fitPicture(file: File): Promise<File | undefined> {
  if (file.size <= PICTURE_BYTES_MAX) return file
  const picture = file.type === 'image/gif' ? undefined : await createImageBitmap(file).catch(() => undefined)
  if (picture === undefined) return undefined
  const scale = Math.min(1, WIDTH_MAX / picture.width, HEIGHT_MAX / picture.height)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const drawn = canvas.getContext('2d')
  drawn?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  // A PNG may be seen through, which a JPEG cannot.
  const kinds = file.type === 'image/jpeg' ? (['jpeg'] as const) : (['png', 'jpeg'] as const)
  for (const kind of kinds) {
    if (drawn && kind === 'jpeg' && file.type !== 'image/jpeg') onWhite(drawn)
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, `image/${kind}`, QUALITY))
    if (blob && blob.size <= PICTURE_BYTES_MAX) {
      return new File([blob], file.name.replace(/(\.\w+)?$/, kind === 'jpeg' ? '.jpg' : '.png'), { type: blob.type })
    }
  }
  return undefined
}

function onWhite(drawn: CanvasRenderingContext2D): void {
  drawn.globalCompositeOperation = 'destination-over'
  drawn.fillStyle = 'white'
  drawn.fillRect(0, 0, drawn.canvas.width, drawn.canvas.height)
}
