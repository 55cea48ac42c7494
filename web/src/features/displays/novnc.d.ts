/** The part of noVNC that the page uses; the package has no types. https://github.com/novnc/noVNC/blob/v1.7.0/docs/API.md */
declare module "@novnc/novnc" {
  interface RfbEvents {
    connect: CustomEvent;
    /** `clean`: the disconnection was requested. */
    disconnect: CustomEvent<{ clean: boolean }>;
    clipboard: CustomEvent<{ text: string }>;
    securityfailure: CustomEvent<{ status: number; reason?: string }>;
    credentialsrequired: CustomEvent<{ types: string[] }>;
  }
  export default class RFB extends EventTarget {
    constructor(target: Element, url: string, options?: { shared?: boolean });
    addEventListener<T extends keyof RfbEvents>(type: T, listener: (event: RfbEvents[T]) => void): void;
    viewOnly: boolean;
    scaleViewport: boolean;
    resizeSession: boolean;
    focusOnClick: boolean;
    showDotCursor: boolean;
    background: string;
    /** JPEG quality, 0 (worst) to 9 (best). */
    qualityLevel: number;
    disconnect(): void;
    sendCredentials(credentials: { username?: string; password: string }): void;
    focus(): void;
    sendKey(keysym: number, code: string | null, down?: boolean): void;
    clipboardPasteFrom(text: string): void;
  }
}
