// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Asset = {
  id: string
  /** Trimmed. */ name: string
  type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  bytes: number
  /** Pixels. */ width: number
  /** Pixels. */ height: number
  /** Where everybody can see it. What is there never changes. */ url: string
  createdAt: string
}

export type AssetBody = {
  /** Trimmed. */ name: string
  /** The bytes in base64: PNG, JPEG, GIF or WebP of up to 2 MiB. The type is that of the bytes. */ data: string
}

export type AssetPage = {
  items: Array<Asset>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type AssetsOperations = {
  'DELETE /assets/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /assets': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: AssetPage
  }
  'GET /assets/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Asset
  }
  'POST /assets': {
    params: undefined
    query: undefined
    body: AssetBody
    answer: Asset
  }
}
