// The email that a user begins with: branded, laid out in tables for the mail programs that know nothing else, narrow on
// telephones, dark where the reader likes it dark. The footer with the unsubscribe link is added when it is sent.
import type { WorkspaceBrand } from "../workspaces/Workspace.ts"
import { escapeHtml, isWebUrl } from "./Escapes.ts"

export interface ScaffoldFacts {
  readonly workspaceName: string
  readonly brand: WorkspaceBrand
}

export const scaffold = ({ workspaceName, brand }: ScaffoldFacts): string => {
  const name = escapeHtml(brand.name ?? workspaceName)
  const color = colorOf(brand.primaryColor)
  return `<!doctype html>
<html lang="en" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<title>${name}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 0; width: 100%; -webkit-text-size-adjust: 100%; -ms-text-size-adjust: 100%; }
table { border-collapse: collapse; mso-table-lspace: 0; mso-table-rspace: 0; }
img { border: 0; max-width: 100%; height: auto; line-height: 100%; text-decoration: none; }
@media (max-width: 620px) {
  .card { width: 100% !important; }
  .pad { padding-left: 20px !important; padding-right: 20px !important; }
}
@media (prefers-color-scheme: dark) {
  .page { background-color: #111418 !important; }
  .card { background-color: #1c2127 !important; }
  .ink, .ink h1, .ink p { color: #e8eaed !important; }
}
[data-ogsc] .page { background-color: #111418 !important; }
[data-ogsc] .card { background-color: #1c2127 !important; }
[data-ogsc] .ink, [data-ogsc] .ink h1, [data-ogsc] .ink p { color: #e8eaed !important; }
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f3f4f6">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f3f4f6">
<tr>
<td align="center" style="padding:32px 12px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="card" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px;background-color:#ffffff;border-top:4px solid ${color}">
<tr>
<td class="pad ink" style="padding:28px 40px 0;font-family:Arial,Helvetica,sans-serif;font-size:18px;font-weight:bold;color:#1f2933">
${header(brand, name)}
</td>
</tr>
<tr>
<td class="pad ink" style="padding:24px 40px 40px;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px;color:#1f2933">
<h1 style="margin:0 0 16px;font-size:24px;line-height:32px;color:#1f2933">Hello {{contact.first_name|there}},</h1>
<p style="margin:0 0 16px;color:#1f2933">Write your message here.</p>
</td>
</tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td>
</tr>
</table>
</body>
</html>
`
}

const header = ({ logoUrl, domain }: WorkspaceBrand, name: string): string => {
  const shown =
    logoUrl !== null && isWebUrl(logoUrl)
      ? `<img src="${escapeHtml(logoUrl)}" alt="${name}" height="40" style="display:block;height:40px;width:auto;border:0">`
      : name
  return domain === null || !/^[a-z0-9.-]+$/i.test(domain)
    ? shown
    : `<a href="https://${domain}" style="color:inherit;text-decoration:none">${shown}</a>`
}

const colorOf = (color: string | null): string =>
  color !== null && /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(color) ? color : "#2563eb"
