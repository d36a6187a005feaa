import { type Static, Type } from 'typebox'
import { answer, closed, Id, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

/** Largest picture: what is larger makes readers on the way wait, and mail programs cut it. */
export const IMAGE_BYTES_MAX = 2 * 1024 * 1024
const BASE64_CHARS_MAX = 4 * Math.ceil(IMAGE_BYTES_MAX / 3)
/** Of a request that brings the largest picture. */
export const UPLOAD_BYTES_MAX = BASE64_CHARS_MAX + 4_096

const name = Type.String({ minLength: 1, maxLength: 200, description: 'Trimmed.', examples: ['autumn.png'] })

/** A picture of one transparent pixel. */
const PIXEL = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

export const AssetBody = closed(
  'AssetBody',
  {
    name,
    data: Type.String({
      minLength: 1,
      maxLength: BASE64_CHARS_MAX,
      description: 'The bytes in base64: PNG, JPEG, GIF or WebP of up to 2 MiB. The type is that of the bytes.',
      examples: [PIXEL],
    }),
  },
  { examples: [{ name: 'pixel.gif', data: PIXEL }] },
)
export type AssetBody = Static<typeof AssetBody>

export const Asset = answer('Asset', {
  id: Id,
  name,
  type: oneOf(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  bytes: Type.Integer({ examples: [48_210] }),
  width: Type.Integer({ description: 'Pixels.', examples: [1_200] }),
  height: Type.Integer({ description: 'Pixels.', examples: [600] }),
  url: Type.String({
    description: 'Where everybody can see it. What is there never changes.',
    examples: ['https://post.example.com/images/1/0f3c…e1.png'],
  }),
  createdAt: Timestamp,
})
export type Asset = Static<typeof Asset>
