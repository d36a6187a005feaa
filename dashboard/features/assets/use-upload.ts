import { useQueryClient } from '@tanstack/react-query'
import { SiteProblem } from '../../lib/problem.ts'
import { site } from '../../lib/site.ts'
import type { Asset } from '../../lib/site-types.ts'
import { refresh } from '../../lib/use-site.ts'
import { say, sayProblem } from '../../ui/toasts.tsx'
import { fitPicture } from './fit-picture.ts'

export const IMAGE_TYPES = 'image/png,image/jpeg,image/gif,image/webp'
/** From here on a picture is what a reader on the way waits for. */
export const HEAVY_BYTES = 200_000
const NAME_CHARS_MAX = 200
const PIECE_BYTES = 0x8000

/** Uploads a picture and answers it; undefined when it was refused, which is said. */
export function useUpload(): (file: File) => Promise<Asset | undefined> {
  const client = useQueryClient()
  return async (file) => {
    try {
      const fitting = await fitPicture(file)
      if (fitting === undefined) throw tooLarge(file.name)
      const data = base64(new Uint8Array(await fitting.arrayBuffer()))
      const name = fitting.name.slice(-NAME_CHARS_MAX).trim() || 'image'
      const asset = await site('POST /assets', { body: { name, data } })
      await refresh(client, '/assets')
      if (fitting !== file) say(`“${asset.name}” was made smaller: it is ${asset.width} × ${asset.height} now.`)
      else if (asset.bytes > HEAVY_BYTES) say(`“${asset.name}” is large: readers wait for it on the way.`)
      return asset
    } catch (error) {
      sayProblem(error)
      return undefined
    }
  }
}

const tooLarge = (name: string) =>
  new SiteProblem({
    ...{ status: 413, code: 'body-too-large' },
    title: `“${name}” is too large`,
    detail: 'An image of a mail may have at most 2 MiB.',
  })

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES))
  }
  return btoa(text)
}

/** The first picture among what was dropped or pasted. */
export function imageIn(data: DataTransfer | null): File | undefined {
  return [...(data?.files ?? [])].find(({ type }) => IMAGE_TYPES.split(',').includes(type))
}
