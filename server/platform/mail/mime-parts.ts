import type { Chunk } from './chunks.ts'
import { fileNameTokens } from './file-name-parameter.ts'
import { headerField, oneLine } from './header-text.ts'
import type { MailText } from './mail-text.ts'
import { BOUNDARY_START, type Encoded, encodeBytes, encodeText } from './transfer-encoding.ts'

export type Attachment = {
  fileName: string
  /** `application/pdf`. */
  contentType: string
  content: Buffer
  /** Makes it inline: `cid:` in the HTML part refers to it. */
  contentId?: string
}

/** A part of a message (RFC 2045): its `Content-` fields, and its content without a line break at its end. */
export type Part = { fields: string; content: readonly Chunk[] }

export function textPart(subtype: 'plain' | 'html', text: MailText): Part {
  return leaf(encodeText(text), headerField('Content-Type', [`text/${subtype};`, 'charset=utf-8']))
}

export function attachmentPart(attachment: Attachment, disposition: 'attachment' | 'inline'): Part {
  const { contentType, contentId, content } = attachment
  const fileName = oneLine(attachment.fileName)
  const fields =
    headerField('Content-Type', [contentType]) +
    headerField(
      'Content-Disposition',
      fileName === '' ? [disposition] : [`${disposition};`, ...fileNameTokens(fileName)],
    ) +
    (contentId === undefined ? '' : headerField('Content-ID', [`<${contentId}>`]))
  return leaf(encodeBytes(content), fields)
}

/** Parts as one; a single one needs no cover. `seed` tells the boundaries of messages apart. */
export function multipart(kind: 'mixed' | 'alternative' | 'related', parts: readonly Part[], seed: string): Part {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const boundary = `${BOUNDARY_START}${kind}_${seed}`
  const content = parts.flatMap((part, n) => [
    `${n === 0 ? '' : '\r\n'}--${boundary}\r\n${part.fields}\r\n`,
    ...part.content,
  ])
  content.push(`\r\n--${boundary}--`)
  const type = [`multipart/${kind};`, ...(kind === 'related' ? ['type="text/html";'] : []), `boundary="${boundary}"`]
  return { fields: headerField('Content-Type', type), content }
}

function leaf({ encoding, body }: Encoded, fields: string): Part {
  return { fields: `${fields}Content-Transfer-Encoding: ${encoding}\r\n`, content: body }
}
