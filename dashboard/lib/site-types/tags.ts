// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type CountedTag = {
  id: string
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */ name: string
  createdAt: string
  /** How many contacts have the tag; exact. */ contactCount: number
}

export type CountedTagPage = {
  items: Array<CountedTag>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type Tag = {
  id: string
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */ name: string
  createdAt: string
}

export type TagBody = {
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */ name: string
}

export type TagChange = {
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */ name?: string
}

export type TagCount = {
  /** How many contacts have the tag; exact. */ contactCount: number
}

export type TagPage = {
  items: Array<Tag>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type TagsOperations = {
  'DELETE /contacts/{contactId}/tags/{name}': {
    params: { contactId: string; name: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /tags/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /contacts/{contactId}/tags': {
    params: { contactId: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: TagPage
  }
  'GET /tags': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only tags with this text in their name, whatever the case of its letters. */ search?: string
}
    body: undefined
    answer: CountedTagPage
  }
  'GET /tags/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Tag
  }
  'GET /tags/{id}/count': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: TagCount
  }
  'PATCH /tags/{id}': {
    params: { id: string }
    query: undefined
    body: TagChange
    answer: Tag
  }
  'POST /contacts/{contactId}/tags': {
    params: { contactId: string }
    query: undefined
    body: TagBody
    answer: Tag
  }
  'POST /tags': {
    params: undefined
    query: undefined
    body: TagBody
    answer: Tag
  }
}
