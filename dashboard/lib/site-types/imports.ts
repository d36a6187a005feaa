// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type ContactImport = {
  id: string
  /** uploaded: waits to be started. failed: see `failure`; rows before it are imported. */ state: 'uploaded' | 'running' | 'done' | 'failed' | 'canceled'
  /** As the upload called it. */ fileName: string | null
  /** Size of the file as it was sent, decompressed. */ bytes: number
  /** The encoding the file was read in. */ encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
  /** The character that separates its columns. */ delimiter: ',' | ';' | '	' | '|'
  columns: Array<{
    /** From the header row; a repeated name gets a number. */ name: string
    /** First values of the column. */ samples: Array<string>
    /** How its values are written, as far as the first thousand tell. */ format: 'text' | 'date_dmy' | 'date_mdy' | 'date_ymd' | 'number_comma' | 'number_point' | 'boolean'
    /** false: dates could be read the other way round as well. Look at `readings`. */ isSure: boolean
    /** The samples as each format that fits most of them reads them, by its name; one that it does not fit stays. */ readings: Record<string, Array<string>>
  }>
  /** Where the values of each column go, by the column's name: subjectId, email, phone, firstName, lastName, timeZone, fullName, tags, topics, customFields, consent:status, consent:optInTime, consent:optInIp, consent:confirmTime, consent:confirmIp, consent:unsubscribeTime, consent:cleanTime, custom:<key> or ignore. Columns that are not named are ignored. */ suggestedMapping: Record<string, unknown>
  /** The mapping it was started with. */ mapping: Record<string, unknown> | null
  /** Given to every contact of the file. */ tags: Array<string>
  /** Subscribed to for every contact of the file that agreed. */ topicIds: Array<string>
  /** The consent it was started with. */ consent: 'confirmed' | 'unconfirmed' | null
  /** The mode it was started with. */ mode: 'fill' | 'overwrite' | null
  /** The formats it was started with, text left out. */ formats: Record<string, unknown> | null
  /** Progress. */ rows: {
    /** Rows of the file, header and empty lines not counted; estimated until all are read. */ total: number
    /** Rows that are done. */ read: number
    /** Rows that became new contacts. */ created: number
    /** Rows that found their contact and changed its fields. */ updated: number
    /** Rows that found their contact with these fields; tags and consent are set all the same. */ unchanged: number
    /** Rows that were not imported, see `/errors`. */ failed: number
    /** Rows without any value. */ skipped: number
  }
  /** Why it failed as a whole. */ failure: string | null
  createdAt: string
  /** When it was started. */ startedAt: string | null
  /** When it was done, failed or canceled. The file is gone from then on. */ endedAt: string | null
  updatedAt: string
}

export type ContactImportBody = {
  /** The file, at most what a body holds. */ csv: string
  fileName?: string | null
}

export type ContactImportError = {
  /** Line of the file on which the row begins; the header is line 1. */ line: number
  error: string
  /** The row as it stood in the file. */ values: Array<string>
}

export type ContactImportErrorPage = {
  items: Array<ContactImportError>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ContactImportPage = {
  items: Array<ContactImport>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ContactImportStartBody = {
  /** Where the values of each column go, by the column's name: subjectId, email, phone, firstName, lastName, timeZone, fullName, tags, topics, customFields, consent:status, consent:optInTime, consent:optInIp, consent:confirmTime, consent:confirmIp, consent:unsubscribeTime, consent:cleanTime, custom:<key> or ignore. Columns that are not named are ignored. */ mapping?: Record<string, unknown>
  /** Tags for every contact of the file. */ tags?: Array<string>
  /** Topics that every contact of the file is subscribed to, as far as it agreed and has not left them, the newsletters or everything. */ topicIds?: Array<string>
  /** Whether everybody in the file has agreed to marketing mail, where the row itself says nothing. unconfirmed when absent. */ consent?: 'confirmed' | 'unconfirmed'
  /** fill, when absent: of a contact that is there, core fields that are blank get a value. overwrite: values of the file replace what is there; an empty one says nothing. */ mode?: 'fill' | 'overwrite'
  /** How the values of columns are written that go to custom fields or times, by the column’s name, where it is not as found, or as the type of the field has it. A value that is not written so is text. */ formats?: Record<string, unknown>
}

export type ImportsOperations = {
  'DELETE /contacts/imports/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /contacts/imports': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ContactImportPage
  }
  'GET /contacts/imports/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: ContactImport
  }
  'GET /contacts/imports/{id}/errors': {
    params: { id: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ContactImportErrorPage
  }
  'GET /contacts/imports/{id}/errors.csv': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: string
  }
  'POST /contacts/imports': {
    params: undefined
    query: {
  /** Start at once, by the suggested mapping. */ start?: boolean
  /** The name of the file. */ fileName?: string
}
    body: ContactImportBody
    answer: ContactImport
  }
  'POST /contacts/imports/{id}/cancel': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: ContactImport
  }
  'POST /contacts/imports/{id}/start': {
    params: { id: string }
    query: undefined
    body: ContactImportStartBody
    answer: ContactImport
  }
}
