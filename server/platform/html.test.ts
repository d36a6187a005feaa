import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHtmlOnce, html } from './html.ts'

test('text is escaped in content and in attributes, markup is not, and nothing stands for nothing', () => {
  const evil = `"><script>alert('x')</script>&`
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;'
  assert.equal(html`<a title="${evil}">${evil}</a>`.markup, `<a title="${escaped}">${escaped}</a>`)
  assert.equal(html`<ul>${['a<', html`<b>${'&'}</b>`, 7]}</ul>`.markup, '<ul>a&lt;<b>&amp;</b>7</ul>')
  assert.equal(html`${null}${undefined}${false}${''}`.markup, '')
  assert.equal(html``.markup, '')
})

test('text with entities in it keeps them when it is escaped once', () => {
  assert.equal(escapeHtmlOnce(`&amp; &#39; &x <b>'`), '&amp; &#39; &amp;x &lt;b&gt;&#39;')
})
