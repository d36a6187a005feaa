import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addressOf, pastedAddress } from '../../dashboard/features/templates/prose/link-address.ts'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type WatchedPage, type World } from './world.ts'

/*
 * Words as office programs put them on the clipboard, and links as people type and paste them.
 */

const skip = WITHOUT_BROWSER
const BODY =
  '<mjml><mj-body><mj-section><mj-column><mj-text>Words</mj-text><mj-text><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text></mj-column></mj-section></mj-body></mjml>'

let world: World
let opened: WatchedPage
let id: string
before(async () => {
  if (skip) return
  world = await openWorld()
  id = (await world.site('POST', '/broadcasts', { name: 'News', subject: 'News', body: BODY })).json.id
  opened = await world.open(`/app/default/broadcasts/${id}`)
  await settled(opened.page)
  await opened.page.getByRole('list', { name: 'Blocks of the mail' }).getByText('Words').click()
})
after(() => world?.close())

const words = () => opened.page.getByRole('textbox', { name: 'Text', exact: true })
const written = async () => {
  const { body } = (await world.site('GET', `/broadcasts/${id}`)).json
  return /<mj-text>(.*?)<\/mj-text>/s.exec(body)![1]
}

/** Word's own, shortened: points are paragraphs, their signs in comments that only Word reads. */
const point = (sign: string, text: string) =>
  `<p class=MsoListParagraph style='margin-left:36pt;text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>${sign}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>${text}<o:p></o:p></p>`
const WORD = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoNormal {margin:0cm} p > b {color:red} --></style></head><body lang=DE><!--StartFragment-->
<p class=MsoNormal style='mso-list:none'>Liebe {{ first_name | default: “Leserin” }}<o:p></o:p></p>
${point('·', 'Erster <b>Punkt</b>')}
${point('·', '<a href="www.example.com/angebot">Zweiter</a>')}
${point('1.', '<a href="https://example.com/?utm_source=mai&amp;utm_content=Kurz und gut">Dritter</a>')}
<p class=MsoNormal>Bis bald<o:p></o:p></p>
<!--EndFragment--></body></html>`

test('what is pasted from Word keeps its lists and links, and nothing of it is refused', { skip }, async () => {
  await words().focus()
  await opened.page.keyboard.press('ControlOrMeta+a')
  await opened.page.evaluate<void>(`(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', ${JSON.stringify(WORD)})
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })()`)
  await eventually('it is saved', async () => (await written())!.includes('Bis bald'))
  assert.equal(
    await written(),
    '<p>Liebe {{ first_name | default: "Leserin" }}</p><ul><li>Erster <b>Punkt</b></li><li><a href="https://www.example.com/angebot">Zweiter</a></li></ul>' +
      '<ol><li><a href="https://example.com/?utm_source=mai&amp;utm_content=Kurz%20und%20gut">Dritter</a></li></ol><p>Bis bald</p>',
  )
  assert.deepEqual(opened.faults, [])
})

test('an address that is pasted where a link is made is that, and one without a scheme gets it', { skip }, async () => {
  const { page } = opened
  const link = async (act: () => Promise<void>) => {
    await words().focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.getByRole('toolbar', { name: 'Words' }).getByRole('button', { name: 'Link', exact: true }).click()
    const address = page.getByRole('textbox', { name: 'Address', exact: true })
    await address.waitFor()
    await address.focus()
    await act()
    await page.keyboard.press('Enter')
  }
  await words().focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Shop')
  // As a paste does: what is there stays, and the text comes to where the caret is.
  await link(() => page.keyboard.insertText('https://shop.example/?utm_source=news'))
  await eventually('it is saved', async () => (await written())!.includes('news'))
  assert.match((await written())!, /<a href="https:\/\/shop\.example\/\?utm_source=news">Shop<\/a>/)
  await link(async () => {
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('shop.example/winter')
  })
  await eventually('it is changed', async () => (await written())!.includes('winter'))
  assert.match((await written())!, /<a href="https:\/\/shop\.example\/winter">Shop<\/a>/)
})

test('an address is read as people mean it, and leads nowhere only where it has to', () => {
  const typed = {
    ' www.example.com ': 'https://www.example.com',
    'example.com:8080/a?b=c': 'https://example.com:8080/a?b=c',
    'ada@example.com': 'mailto:ada@example.com',
    'mailto:ada@example.com': 'mailto:ada@example.com',
    '{{ preferences_url }}': '{{ preferences_url }}',
    '{{ shop }}.example.com': '{{ shop }}.example.com',
    '#top': '#top',
    '': '',
  }
  assert.deepEqual(Object.keys(typed).map(addressOf), Object.values(typed))
  const pasted = {
    'https://en.wikipedia.org/wiki/Ohm\'s_law_"x"': "https://en.wikipedia.org/wiki/Ohm's_law_%22x%22",
    'https://example.com/{{ customer id }}?{a}': 'https://example.com/{{ customer id }}?%7Ba%7D',
    'javascript:alert(1)': undefined,
    'file:///C:/x': undefined,
    '#top': undefined,
  }
  assert.deepEqual(Object.keys(pasted).map(pastedAddress), Object.values(pasted))
})
