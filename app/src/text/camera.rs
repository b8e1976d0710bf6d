//! What the camera says: hints, commands, failures.

use super::texts;

texts! {
    /// Opens the camera; the browser asks for permission only then.
    OPEN: "Open the camera", "カメラを開く";
    /// Name of the dialog with the live picture.
    STAGE: "Camera", "カメラ";
    /// Before the browser asks for permission.
    OPEN_HINT: "Your browser will ask for permission. The camera is on only while you can see its picture on the screen.", "ブラウザーがカメラの許可を求めます。カメラは映像が表示されている間だけ動作します。";
    /// Heading of the alternative.
    OR_FILE: "Or upload a photo", "または写真を送る";
    /// A photo instead of the camera.
    USE_PHOTO: "Use a photo", "写真を使う";
    /// Closes the camera.
    CLOSE: "Close the camera", "カメラを閉じる";
    /// Releases the shutter by hand.
    SHUTTER: "Take the photo", "撮影する";
    /// Switches the torch on and off; the button tells which.
    TORCH: "Torch", "カメラのライト";
    /// Another of the device's cameras.
    SWITCH: "Switch camera", "カメラを切り替える";
    /// In the place of the button that opens the camera, until the page can open it.
    PREPARING: "Getting the camera ready", "カメラを準備しています";
    /// While the camera starts.
    STARTING: "Starting the camera", "カメラを起動しています";
    /// Hint.
    HINT_FIND: "Place the document in the frame", "書類を枠に合わせてください";
    /// Hint.
    HINT_WHOLE: "Show the whole document", "書類全体を写してください";
    /// Hint.
    HINT_CLOSER: "Move closer", "もう少し近づけてください";
    /// Hint.
    HINT_FARTHER: "Move back a little", "もう少し離してください";
    /// Hint.
    HINT_LEVEL: "Hold the phone level", "真上から水平に構えてください";
    /// Hint.
    HINT_STILL: "Hold still", "動かさないでください";
    /// Hint.
    HINT_DARK: "Too dark. Find more light", "暗すぎます。明るくしてください";
    /// Hint.
    HINT_GLARE: "Reflection. Tilt slightly", "光が反射しています。少し傾けてください";
    /// Hint.
    HINT_FOCUS: "Not in focus yet", "ピントが合っていません";
    /// Hint.
    HINT_GOOD: "Good. Hold still", "そのまま動かさないでください";
    /// A photo was taken.
    TAKEN: "Photo taken", "撮影しました";
    /// Sending.
    SENDING: "Sending", "送信しています";
    /// Network lost.
    OFFLINE: "No connection. Your photos are saved here and will be sent when you are back online.", "通信できません。写真は保持されており、接続が戻りしだい送信します。";
    /// Busy server.
    BUSY: "We are very busy right now. Your photos are saved here and will be sent again shortly.", "混み合っています。写真は保持されており、まもなく再送信します。";
    /// The same, where it takes minutes until they are sent again.
    BUSY_MINUTES: "We are very busy right now. Your photos are saved here and will be sent again in a few minutes.", "混み合っています。写真は保持されており、数分後に再送信します。";
    /// The connection is so slow that the server stopped waiting.
    SLOW: "Your connection is slow. Your photos are saved here and will be sent again.", "通信が遅いため、まだ送信できていません。写真は保持されており、まもなく再送信します。";
    /// A fault of ours.
    BROKEN: "Something went wrong on our side. Your photos are saved here and will be sent again.", "システムエラーが発生しました。写真は保持されており、まもなく再送信します。";
    /// After minutes of trying.
    NOT_BY_ITSELF: "We have been unable to send your photos for several minutes. They are saved here. Tap “Send now” to try again.", "数分間、写真を送信できていません。写真はこの画面に保持されています。「今すぐ送信」を押してもう一度お試しください。";
    /// Something before the server refuses photos, or those of this size: another photo would fare no better.
    NOT_ACCEPTED_ON_THE_WAY: "We cannot receive photos at the moment. Tell the company that sent you the link.", "現在、写真を受信できません。リンクの送信元の企業にお知らせください。";
    /// A photo was moved or deleted after it was chosen.
    PHOTO_GONE: "The photo you chose can no longer be read. It may have been moved or deleted. Choose a photo again, or take a new one.", "選択した写真を読み込めません。移動または削除された可能性があります。もう一度写真を選ぶか、撮り直してください。";
    /// Heading of the panel while something waits to be sent.
    UNSENT_TITLE: "Not sent yet", "まだ送信されていません";
    /// Heading of the panel for a photo that was refused.
    REFUSED_TITLE: "Take the photo again", "撮り直してください";
    /// Retries sending.
    SEND_AGAIN: "Send now", "今すぐ送信";
    /// Selfie.
    SELFIE_PLACE: "Fit your face in the oval", "お顔を楕円に合わせてください";
    /// Selfie.
    SELFIE_SLOW: "That took too long. Try again.", "時間がかかりすぎました。もう一度お試しください。";
    /// Selfie: heading of the panel.
    SELFIE_SLOW_TITLE: "Time is up", "時間切れです";
    /// Selfie: other movements than requested.
    NOT_ASKED_TITLE: "Let’s start again", "もう一度撮影します";
    /// Selfie: other movements than requested.
    NOT_ASKED: "Wait for each request on the screen, then follow it.", "画面の指示を待って、その動作だけを行ってください。";
    /// Selfie: the camera was opened on another page.
    REPLACED_TITLE: "The camera was opened elsewhere", "別の画面でカメラが開かれました";
    /// Selfie: the camera was opened on another page.
    REPLACED: "You opened the camera in another window or tab. Continue there, or try again here.", "別の画面またはタブで撮影が始まっています。その画面で続けるか、この画面でもう一度お試しください。";
    /// Selfie: frames do not reach the server.
    LIVE_LOST_TITLE: "No connection", "通信できません";
    /// Selfie: frames do not reach the server.
    LIVE_LOST: "The camera needs a connection while you take the selfie. Try again once you are online.", "お顔の撮影中は通信が必要です。接続を確認して、もう一度お試しください。";
    /// While a frame or a photo is being sent: nothing has come back for some seconds.
    NO_ANSWER: "No response yet. Wait a moment", "応答に時間がかかっています。少々お待ちください";
    /// Selfie: the server answers, but too slowly for the camera.
    LIVE_BUSY_TITLE: "We are very busy right now", "ただいま混み合っています";
    /// The same.
    LIVE_BUSY: "Your camera works, but our server is responding too slowly. Wait a moment, then try again.", "カメラは正常ですが、応答に時間がかかっています。しばらくしてから、もう一度お試しください。";
    /// Selfie: started too often.
    RUNS_OVER_TITLE: "Send photos instead", "写真を送ってください";
    /// Selfie: started too often.
    RUNS_OVER: "The camera did not work this time. You can send two photos, and a person will review them.", "カメラでの撮影を完了できませんでした。写真を2枚送っていただければ、担当者が確認します。";
    /// Selfie, before the camera opens: the screen will change colour.
    COLOURS_TITLE: "Your screen will change colour", "画面の色が変わります";
    /// Selfie, before the camera opens: the screen will change colour.
    COLOURS_LEAD: "At the end, your screen will show five colours, one after another, for about five seconds. It does not flicker. If you are sensitive to light, choose “Without colours”. A person will then review your selfie.", "最後に約5秒間、画面が5色に順に変わります。点滅はしません。光に敏感な方は「色なしで続ける」を選んでください。その場合は担当者が確認します。";
    /// Selfie: agrees to the colours.
    COLOURS_GO: "Continue", "続ける";
    /// Selfie: the same without colours.
    COLOURS_WITHOUT: "Without colours", "色なしで続ける";
    /// Retries after a failure.
    RETRY: "Try again", "もう一度試す";
    /// Permission refused.
    DENIED_TITLE: "Camera access is blocked", "カメラの使用が許可されていません";
    /// The browser's question was closed without an answer.
    DISMISSED_TITLE: "Camera access is not allowed yet", "カメラの使用がまだ許可されていません";
    /// The same.
    DISMISSED_LEAD: "Try again, and choose Allow when your browser asks.", "もう一度お試しいただき、ブラウザーの確認画面で「許可」を選んでください。";
    /// The browser has neither given the camera nor refused it.
    UNANSWERED_TITLE: "The camera has not started yet", "カメラがまだ起動していません";
    /// The same.
    UNANSWERED_LEAD: "If your browser asks for the camera, choose Allow. If you see no question, close other apps that use the camera, then try again.", "ブラウザーの確認画面が表示されている場合は「許可」を選んでください。表示されていない場合は、カメラを使っているほかのアプリを閉じて、もう一度お試しください。";
    /// Permission refused, Safari.
    DENIED_SAFARI: "Tap “AA” or the page icon beside the address, then Website Settings, Camera, Allow. Then try again.", "アドレスの横の「ぁあ」またはページのアイコンから「Webサイトの設定」→「カメラ」→「許可」を選び、もう一度お試しください。";
    /// Permission refused, Safari on a computer.
    DENIED_SAFARI_COMPUTER: "In the Safari menu, open the settings for this website and set Camera to Allow. Then try again.", "メニューバーの「Safari」からこのWebサイトの設定を開き、「カメラ」を「許可」にして、もう一度お試しください。";
    /// Permission refused, Chrome.
    DENIED_CHROME: "Tap the icon beside the address, then Permissions, Camera, Allow. Then try again.", "アドレスの横のアイコンから「権限」→「カメラ」→「許可」を選び、もう一度お試しください。";
    /// Permission refused, Chrome on a computer.
    DENIED_CHROME_COMPUTER: "Click the icon beside the address and allow the camera. Then try again.", "アドレスの横のアイコンをクリックしてカメラを許可し、もう一度お試しください。";
    /// Permission refused, others.
    DENIED_OTHER: "Allow the camera for this page in your browser’s settings. Then try again.", "ブラウザーの設定でこのページのカメラを許可し、もう一度お試しください。";
    /// The system of the phone or computer refused it to the browser: no settings of the browser help.
    DENIED_SYSTEM: "Your device does not let this browser use the camera. Open the settings of your device and allow the camera for the browser. Then try again.", "端末の設定により、このブラウザーはカメラを使えません。端末の「設定」でこのブラウザーにカメラの使用を許可し、もう一度お試しください。";
    /// No camera.
    NONE_TITLE: "No camera found", "カメラが見つかりません";
    /// No camera.
    NONE_LEAD: "Continue on a phone with a camera, or upload a photo.", "カメラ付きのスマートフォンで続けるか、写真を送ってください。";
    /// Used by another app.
    BUSY_TITLE: "The camera is in use", "カメラは使用中です";
    /// Used by another app.
    BUSY_LEAD: "Close other apps that use the camera, then try again.", "カメラを使っているほかのアプリを閉じて、もう一度お試しください。";
    /// Black frames.
    BLACK_TITLE: "The camera is not showing a picture", "カメラの映像が表示されません";
    /// Black frames.
    BLACK_LEAD: "Try again. If the picture stays black, continue in Safari or Chrome.", "もう一度お試しください。改善しない場合は Safari または Chrome で続けてください。";
    /// Always the same frame.
    FROZEN_TITLE: "The camera picture is frozen", "カメラの映像が動いていません";
    /// Always the same frame.
    FROZEN_LEAD: "Close other apps that use the camera, and if the camera has a cover, open it. Then try again.", "カメラを使っているほかのアプリを閉じ、カメラのカバーがあれば開けて、もう一度お試しください。";
    /// In-app browser.
    IN_APP_TITLE: "This app cannot open the camera", "このアプリではカメラを使えません";
    /// In-app browser.
    IN_APP_LEAD: "Continue in Safari or Chrome, or upload a photo.", "Safari または Chrome で続けるか、写真を送ってください。";
    /// Stopped in the background.
    PAUSED_TITLE: "The camera has paused", "カメラが一時停止しました";
    /// Stopped in the background.
    PAUSED_LEAD: "Tap to continue.", "タップして再開してください。";
    /// Resumes.
    PAUSED_ACTION: "Continue", "再開する";
    /// The alternative if there is no camera.
    SEND_PHOTO: "Upload a photo instead", "写真を送る";
    /// The alternative, always available.
    USE_APP: "Use the phone’s camera app instead", "スマートフォンのカメラアプリを使う";
    /// The alternative to sending a chosen photo again.
    OTHER_PHOTO: "Choose another photo", "別の写真を選ぶ";
}
