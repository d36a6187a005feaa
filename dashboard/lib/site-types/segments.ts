// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { Contact } from './shared.ts'

export type Segment = {
  id: string
  name: string
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */ definition: string
  createdAt: string
  updatedAt: string
}

export type SegmentBody = {
  /** Unique in the workspace, whatever the case of its letters; trimmed. */ name: string
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */ definition: string
}

export type SegmentChange = {
  /** Unique in the workspace, whatever the case of its letters; trimmed. */ name?: string
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */ definition?: string
}

export type SegmentMembership = {
  isMember: boolean
  /** In the order of the definition; muted ones are left out. */ rules: Array<{
    /** The rule in the definition. */ pointer: string
    field: string
    operator: string
    /** Whether this rule by itself holds for the contact. */ holds: boolean
  }>
}

export type SegmentPage = {
  items: Array<Segment>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SegmentPreview = {
  /** How many contacts belong to it now, exactly. */ count: number
  /** Its first ten contacts, ascending by id. */ sample: Array<Contact>
}

export type SegmentPreviewBody = {
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */ definition?: string | null
}

export type SegmentsOperations = {
  'DELETE /segments/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /segments': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only segments whose name contains this text. */ search?: string
}
    body: undefined
    answer: SegmentPage
  }
  'GET /segments/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Segment
  }
  'GET /segments/{id}/contacts/{contactId}/explain': {
    params: { id: string; contactId: string }
    query: undefined
    body: undefined
    answer: SegmentMembership
  }
  'GET /segments/{id}/preview': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SegmentPreview
  }
  'PATCH /segments/{id}': {
    params: { id: string }
    query: undefined
    body: SegmentChange
    answer: Segment
  }
  'POST /segments': {
    params: undefined
    query: undefined
    body: SegmentBody
    answer: Segment
  }
  'POST /segments/preview': {
    params: undefined
    query: undefined
    body: SegmentPreviewBody
    answer: SegmentPreview
  }
}
