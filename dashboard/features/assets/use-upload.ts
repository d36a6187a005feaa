import { useQueryClient } from '@tanstack/react-query'
import { site } from '../../lib/site.ts'
import type { Asset } from '../../lib/site-types.ts'
import { refresh } from '../../lib/use-site.ts'
import { say, sayProblem } from '../../ui/toasts.tsx'

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
      const data = base64(new Uint8Array(await file.arrayBuffer()))
      const name = file.name.slice(-NAME_CHARS_MAX).trim() || 'image'
      const asset = await site('POST /assets', { body: { name, data } })
      await refresh(client, '/assets')
      if (asset.bytes > HEAVY_BYTES) say(`“${asset.name}” is large: readers wait for it on the way.`)
      return asset
    } catch (error) {
      sayProblem(error)
      return undefined
    }
  }
}

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
