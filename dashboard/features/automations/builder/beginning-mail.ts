type Words = { heading: string; text: readonly string[]; button?: { label: string; href: string } }

/** A plain letter with a heading, words and a button: every word of it is there to be changed. */
export function mailOf({ heading, text, button }: Words): string {
  const paragraphs = text.map((words) => `        <mj-text>${words}</mj-text>`).join('\n')
  const link = button === undefined ? '' : `        <mj-button href="${button.href}">${button.label}</mj-button>\n`
  return `<mjml lang="en">
  <mj-head>
    <mj-preview>${heading}</mj-preview>
    <mj-attributes>
      <mj-all font-family="Helvetica, Arial, sans-serif" />
      <mj-text font-size="16px" line-height="1.5" />
    </mj-attributes>
  </mj-head>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text font-size="24px" line-height="1.3" font-weight="bold">${heading}</mj-text>
        <mj-text>Hello {{ first_name | default: "there" }},</mj-text>
${paragraphs}
${link}        <mj-text font-size="13px">You get this because you have an account with us. <a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`
}
