// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options, PostOptions } from '../call.ts'
import type { List } from '../list.ts'

export type Asset = {
  id: string
  /** Trimmed. */
  name: string
  type: Open<'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'>
  bytes: number
  /** Pixels. */
  width: number
  /** Pixels. */
  height: number
  /** Where everybody can see it. What is there never changes. */
  url: string
  createdAt: string
}

export type AssetBody = {
  /** Trimmed. */
  name: string
  /** The bytes in base64: PNG, JPEG, GIF or WebP of up to 2 MiB. The type is that of the bytes. */
  data: string
}

export type AssetPage = {
  items: Array<Asset>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export interface AssetsOperations {
  /** Upload an image. For mails: its `url` can be seen by everybody and never shows anything else. The same bytes again answer the image that is there. A workspace has at most 2,000 images of 256 MiB together. Needs the scope `templates:write`. */
  create(body: AssetBody, options?: PostOptions): Promise<Asset>

  /** Delete an image. Mails that show it have a gap there from now on, those that were sent too. Needs the scope `templates:write`. */
  delete(id: string, options?: Options): Promise<void>

  /** Read an image. What is known of it; its `url` has the image itself. Needs the scope `templates:read`. */
  get(id: string, options?: Options): Promise<Asset>

  /** List images. The newest first. Needs the scope `templates:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<AssetPage>
}
