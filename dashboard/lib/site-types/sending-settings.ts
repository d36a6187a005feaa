// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type SendingSettings = {
  /** Marketing mail goes only to contacts that have confirmed they want it, or whose consent was imported. New contacts are asked by mail. Contacts that are there when it is switched on count as having agreed. */ doubleOptIn: boolean
  /** HTML mail holds a picture that tells when it is opened. */ trackOpens: boolean
  /** Links in mail lead by way of this service. */ trackClicks: boolean
  /** Where you can be reached by post; many countries ask for it in marketing mail. */ postalAddress: string | null
  /** The hours at which nobody is mailed, by the clock of each person. It is of marketing mail alone, that of broadcasts and of automations. Null: there is none. */ quietHours: {
    from: string
    until: string
    /** The time zone of people who have none of their own. */ zone: string
  } | null
  /** So many mails within so many days a person. It is of marketing mail alone, that of broadcasts and of automations. Null: there is none. */ frequencyCap: {
    messages: number
    days: number
    /** How long a mail without room waits for it. Then it is skipped, as `frequency_cap`. */ waitHours: number
  } | null
  /** null while they are as a new workspace has them. */ updatedAt: string | null
}

export type SendingSettingsChange = {
  /** Marketing mail goes only to contacts that have confirmed they want it, or whose consent was imported. New contacts are asked by mail. Contacts that are there when it is switched on count as having agreed. */ doubleOptIn?: boolean
  /** HTML mail holds a picture that tells when it is opened. */ trackOpens?: boolean
  /** Links in mail lead by way of this service. */ trackClicks?: boolean
  /** Where you can be reached by post; many countries ask for it in marketing mail. */ postalAddress?: string | null
  /** The hours at which nobody is mailed, by the clock of each person. It is of marketing mail alone, that of broadcasts and of automations. Null: there is none. */ quietHours?: {
    from: string
    until: string
    /** The time zone of people who have none of their own. */ zone: string
  } | null
  /** So many mails within so many days a person. It is of marketing mail alone, that of broadcasts and of automations. Null: there is none. */ frequencyCap?: {
    messages: number
    days: number
    /** How long a mail without room waits for it. Then it is skipped, as `frequency_cap`. */ waitHours: number
  } | null
}

export type SendingSettingsOperations = {
  'GET /sending-settings': {
    params: undefined
    query: undefined
    body: undefined
    answer: SendingSettings
  }
  'PATCH /sending-settings': {
    params: undefined
    query: undefined
    body: SendingSettingsChange
    answer: SendingSettings
  }
}
