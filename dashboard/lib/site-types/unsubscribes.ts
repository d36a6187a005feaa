// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Unsubscribe = {
  id: string
  /** An email address; stored in lower case. */ destination: string
  /** Unwanted mail: `broadcasts`, all `automations`, one topic or automation by its id (`topic:3`, `automation:7`), or `everything` but transactional mail. */ sendingSource: string
  /** The message whose link was used, if one was. */ messageId: string | null
  createdAt: string
}

export type UnsubscribeBody = {
  /** An email address; stored in lower case. */ destination: string
  /** Unwanted mail: `broadcasts`, all `automations`, one topic or automation by its id (`topic:3`, `automation:7`), or `everything` but transactional mail. Without it `broadcasts`. */ sendingSource?: string
}

export type UnsubscribePage = {
  items: Array<Unsubscribe>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type UnsubscribesOperations = {
  'DELETE /unsubscribes/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /unsubscribes': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only those of this address. */ destination?: string
}
    body: undefined
    answer: UnsubscribePage
  }
  'POST /unsubscribes': {
    params: undefined
    query: undefined
    body: UnsubscribeBody
    answer: Unsubscribe
  }
}
