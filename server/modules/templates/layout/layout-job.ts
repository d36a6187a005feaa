/** MJML to make HTML of, or HTML as it is; Liquid in it stands behind words. */
export type LayoutJob = { kind: 'mjml' | 'html'; source: string; wantsText: boolean }

export type LayoutResult =
  | { outcome: 'done'; html: string; text: string; notes: LayoutNote[] }
  /** The compiler gave up; `message` is its own. */
  | { outcome: 'failed'; message: string }

/** A finding of the MJML validator, with the line and the element. */
export type LayoutNote = { line: number | null; element: string; message: string }

export type LayOut = (job: LayoutJob) => Promise<LayoutResult>
