// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'

export type Unsubscribe = {
  id: string
  /** An email address; stored in lower case. */
  destination: string
  /** Unwanted mail: `broadcasts`, all `automations`, one topic or automation by its id (`topic:3`, `automation:7`), or `everything` but transactional mail. */
  sendingSource: string
  /** The message whose link was used, if one was. */
  messageId: string | null
  createdAt: string
}

export type UnsubscribeBody = {
  /** An email address; stored in lower case. */
  destination: string
  /** Unwanted mail: `broadcasts`, all `automations`, one topic or automation by its id (`topic:3`, `automation:7`), or `everything` but transactional mail. Without it `broadcasts`. */
  sendingSource?: string
}

export type UnsubscribePage = {
  items: Array<Unsubscribe>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export interface UnsubscribesOperations {
  /** Unsubscribe an address. For wishes that reached you by another way than the links in mails. From then on nothing of the source is sent there, messages that already wait included; `everything` also ends a confirmed opt-in. Transactional mail goes on. An address that is unsubscribed from the source stays as it is and is the answer. Needs the scope `contacts:write`. */
  create(body: UnsubscribeBody, options?: PostOptions): Promise<Tagged<Unsubscribe>>

  /** Take an unsubscribe back. The address is mailed again. Only for somebody who asks for it: in many countries the law forbids to mail people who said no. A confirmed opt-in that was ended does not come back by it. Needs the scope `contacts:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** List unsubscribes. Addresses that want no more of something, whether or not a contact has them. Ascending by id. Needs the scope `contacts:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Only those of this address. */
    destination?: string
  }, options?: Options): List<UnsubscribePage>
}
