import type { Brand } from './brand.ts'

/** The sender of mail as readers are told of it; mail of one topic is named with it. */
export function senderName({ name }: Pick<Brand, 'name'>, topicName: string | null): string {
  return topicName === null ? name : `${name} (${topicName})`
}
