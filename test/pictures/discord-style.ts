/** Discord client's sizes and colours, dark. */
export const discordStyle = `
* { box-sizing: border-box; margin: 0; }
body { font: 16px/1.375 Inter, sans-serif; color: #dbdee1; background: #313338; }
header { padding: 13px 20px; border-bottom: 1px solid #26272b; font-weight: 600; color: #f2f3f5; }
main { padding: 12px 0; }
article { position: relative; display: grid; grid-template-columns: 40px 1fr; gap: 0 16px; padding: 10px 24px 10px 20px; }
.avatar { width: 40px; height: 40px; border-radius: 50%; background: #4f3cc9; color: #fff; font: 700 20px/40px Inter; text-align: center; }
.above { grid-column: 2; font-size: 14px; color: #b5bac1; margin-bottom: 4px; }
.above ~ .avatar { grid-row: 2; }
.head { display: flex; align-items: center; gap: 6px; line-height: 22px; }
.head b { color: #f2f3f5; font-weight: 600; }
.app { padding: 0 5px; border-radius: 4px; background: #5865f2; color: #fff; font-size: 10px; line-height: 15px; font-weight: 600; }
time, .quiet { font-size: 12px; color: #949ba4; }
.quiet { margin-top: 6px; }
u { color: #00a8fc; text-decoration: none; }
.text { white-space: pre-line; }
.embed { width: fit-content; max-width: 520px; margin-top: 4px; padding: 10px 16px 14px 12px; border-left: 4px solid; border-radius: 4px; background: #2b2d31; font-size: 14px; line-height: 20px; }
.embed h2 { font-size: 16px; font-weight: 600; color: #f2f3f5; margin: 2px 0 6px; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; }
.button { margin-top: 8px; padding: 0 16px; border-radius: 8px; background: #5865f2; color: #fff; font: 500 14px/32px Inter; }
.link { background: #4e5058; }
a { color: #00a8fc; }
b { font-weight: 650; }
code, pre { font: 14px/18px monospace; background: #1e1f22; border-radius: 4px; padding: 0 4px; }
pre { padding: 8px; margin-top: 6px; }
.mention { padding: 0 3px; border-radius: 3px; color: var(--role); background: color-mix(in srgb, var(--role) 18%, transparent); font-weight: 500; }
`;
