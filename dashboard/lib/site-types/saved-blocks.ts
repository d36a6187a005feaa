// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type SavedBlock = {
  id: string
  /** Trimmed; of one block only, whatever its case. */ name: string
  /** Its element, which says where it may stand. */ element: string
  /** One element of MJML as it stands in a mail, with Liquid, to the character: a wrapper, section, hero, column, or what a column holds. */ body: string
  createdAt: string
  updatedAt: string
}

export type SavedBlockBody = {
  /** Trimmed; of one block only, whatever its case. */ name: string
  /** One element of MJML as it stands in a mail, with Liquid, to the character: a wrapper, section, hero, column, or what a column holds. */ body: string
}

export type SavedBlockChange = {
  /** Trimmed; of one block only, whatever its case. */ name?: string
  /** One element of MJML as it stands in a mail, with Liquid, to the character: a wrapper, section, hero, column, or what a column holds. */ body?: string
}

export type SavedBlockSummary = {
  id: string
  /** Trimmed; of one block only, whatever its case. */ name: string
  /** Its element, which says where it may stand. */ element: string
  createdAt: string
  updatedAt: string
}

export type SavedBlockSummaryPage = {
  items: Array<SavedBlockSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SavedBlocksOperations = {
  'DELETE /saved-blocks/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /saved-blocks': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: SavedBlockSummaryPage
  }
  'GET /saved-blocks/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SavedBlock
  }
  'PATCH /saved-blocks/{id}': {
    params: { id: string }
    query: undefined
    body: SavedBlockChange
    answer: SavedBlock
  }
  'POST /saved-blocks': {
    params: undefined
    query: undefined
    body: SavedBlockBody
    answer: SavedBlock
  }
}
